import pulumi
import pulumi_docsign as docsign

contracts = docsign.Folder("contracts", name="Contracts")

nda = docsign.Document(
    "nda",
    name="Mutual NDA",
    folder_id=contracts.folder_id,
    template=pulumi.FileAsset("./contracts/nda.md"),
    variables={"company": "Acme", "partner": "Example"},
    invitations=[
        {"email": "ana@example.com", "name": "Ana Torres", "stage": 1},
        {"email": "bob@example.org", "name": "Bob Lindqvist", "stage": 2},
    ],
    # The engine then shows the document before it is replaced, and one that somebody signed is kept.
    opts=pulumi.ResourceOptions(delete_before_replace=True),
)

pulumi.export("documentId", nda.document_id)
pulumi.export("status", nda.status)
pulumi.export("pendingSigners", nda.pending_signers)
pulumi.export("btcCertificate", nda.certificates.btc_url)
