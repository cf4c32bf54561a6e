import pulumi
import pulumi_docsign as docsign

config = pulumi.Config()
signing = pulumi.StackReference("signing", stack_name=config.require("signingStack"))

# require_output fails while the address isn't there, in a preview too. get_output would give None, and the receipt would
# go out without it.
btc = signing.require_output("btcCertificate")
eth = signing.require_output("ethCertificate")

docsign.Document(
    "receipt",
    name="Receipt of certificates",
    description=pulumi.Output.format("Bitcoin: {0}, Ethereum: {1}", btc, eth),
    file=pulumi.FileAsset("./contracts/receipt.pdf"),
    invitations=[docsign.InvitationArgs(email="auditor@example.net", name="The auditor")],
    opts=pulumi.ResourceOptions(delete_before_replace=True),
)

pulumi.export("btcCertificate", btc)
pulumi.export("ethCertificate", eth)
