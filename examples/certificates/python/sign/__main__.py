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
pulumi.export("pendingSigners", agreement.pending_signers)
# Always there: until both certificates can be downloaded, their addresses are None, which Python's SDK leaves out.
pulumi.export("certificatesReady", agreement.certificates.ready)
pulumi.export("btcCertificate", agreement.certificates.btc_url)
pulumi.export("ethCertificate", agreement.certificates.eth_url)
pulumi.export("certificatesNeedKey", agreement.certificates_need_key)
# Where the signed PDF is, and what to check a download of it against.
pulumi.export("signedFileUrl", agreement.signed_file_url)
pulumi.export("signedSha256", agreement.signed_sha256)
