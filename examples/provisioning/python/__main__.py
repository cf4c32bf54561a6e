import pulumi
import pulumi_docsign as docsign

ndas = docsign.DocumentSet(
    "ndas",
    table=pulumi.FileAsset("./team.csv"),
    key="{{email}}",
    defaults=docsign.DocumentSetRowArgs(
        name="NDA of {{name}}",
        template=pulumi.FileAsset("./nda.md"),
        variables={"name": "{{name}}", "start": "{{start}}"},
        invitations=[docsign.InvitationArgs(email="{{email}}", name="{{name}}")],
    ),
)

pulumi.export("waitingFor", ndas.waiting_for)
pulumi.export("summary", ndas.summary)
