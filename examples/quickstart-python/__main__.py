import pulumi
import pulumi_docsign as docsign

contracts = docsign.Folder("contracts", name="Contracts 2026")

nda = docsign.Document(
    "nda",
    name="Mutual NDA (Python)",
    description="Between the two parties of the pilot project",
    folder_id=contracts.folder_id,
    file=pulumi.FileAsset("./contracts/nda.pdf"),
    invitations=[
        docsign.InvitationArgs(
            email="ana@example.com",
            name="Ana Torres",
            message="Please sign before Friday.",
            allowed_signature_types=docsign.SignatureTypes.ALL,
            stage=1,
        ),
        # A dict does as well.
        {
            "email": "bob@example.org",
            "name": "Bob Lindqvist",
            "allowed_signature_types": "all",
            "stage": 2,
        },
    ],
    # A replacement forced from outside Diff then asks the service before anything new is mailed.
    opts=pulumi.ResourceOptions(delete_before_replace=True),
)

# Functions ask the service whenever the program runs, at preview too.
signers = docsign.get_signers_output(document_id=nda.document_id)
listed = docsign.get_documents_output(folder_id=nda.folder_id)

pulumi.export("documentId", nda.document_id)
pulumi.export("status", nda.status)
pulumi.export("allSigned", nda.all_signed)
pulumi.export("pendingSigners", nda.pending_signers)
pulumi.export("signedPdf", nda.signed_file_url)
pulumi.export("btcCertificate", nda.certificates.btc_url)
pulumi.export("ethCertificate", nda.certificates.eth_url)
pulumi.export("nom151", nda.nom151.file_name)
pulumi.export("stillToSign", signers.pending_signers)
pulumi.export("inFolder", listed.documents.apply(lambda documents: [document.document_id for document in documents]))
