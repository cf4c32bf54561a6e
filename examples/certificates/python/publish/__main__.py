import pulumi
import pulumi_docsign as docsign

config = pulumi.Config()
signing = pulumi.StackReference("signing", stack_name=config.require("signingStack"))

# Asks the service itself, so nobody has to refresh the first stack. While the certificates aren't there it fails, in a
# preview too, and says so.
certificates = docsign.get_certificates_output(
    document_id=signing.require_output("documentId"),
    require="blockchain",
).certificates

docsign.Document(
    "receipt",
    name="Receipt of certificates",
    description=pulumi.Output.format("Bitcoin: {0}, Ethereum: {1}", certificates.btc_url, certificates.eth_url),
    file=pulumi.FileAsset("./contracts/receipt.pdf"),
    invitations=[docsign.InvitationArgs(email="auditor@example.net", name="The auditor")],
    opts=pulumi.ResourceOptions(delete_before_replace=True),
)

pulumi.export("btcCertificate", certificates.btc_url)
pulumi.export("ethCertificate", certificates.eth_url)
