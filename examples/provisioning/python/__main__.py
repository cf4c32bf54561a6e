import json
from pathlib import Path

import pulumi
import pulumi_docsign as docsign

team = json.loads(Path("team.json").read_text(encoding="utf-8"))

folder = docsign.Folder("ndas", name="Team NDAs")

# The resource's name comes from the member's id: where in the list somebody stands doesn't matter.
ndas = [
    docsign.Document(
        f"nda-{member['id']}",
        name=f"NDA of {member['name']}",
        folder_id=folder.folder_id,
        file=pulumi.FileAsset("./contracts/nda.pdf"),
        invitations=[docsign.InvitationArgs(email=member["email"], name=member["name"])],
        opts=pulumi.ResourceOptions(delete_before_replace=True),
    )
    for member in team
]

waiting = pulumi.Output.all(*[nda.pending_signers for nda in ndas])
pulumi.export("waitingFor", waiting.apply(lambda lists: [email for emails in lists for email in emails]))
