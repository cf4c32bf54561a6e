import pulumi
import pulumi_docsign as docsign

agreement = docsign.Document(
    "agreement",
    name="Framework agreement",
    file=pulumi.FileAsset("./contracts/agreement.pdf"),
    invitations=[
        docsign.InvitationArgs(email="ana@example.com", name="Ana Torres"),
        docsign.InvitationArgs(email="bob@example.org", name="Bob Lindqvist"),
    ],
    opts=pulumi.ResourceOptions(delete_before_replace=True),
)

pulumi.export("documentId", agreement.document_id)
pulumi.export("waitingFor", agreement.pending_signers)
# Not among the outputs until both certificates can be downloaded.
pulumi.export("btcCertificate", agreement.certificates.btc_url)
pulumi.export("ethCertificate", agreement.certificates.eth_url)
