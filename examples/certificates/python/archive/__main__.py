import pulumi

config = pulumi.Config()
signing = pulumi.StackReference("signing", stack_name=config.require("signingStack"))

pulumi.export("ready", signing.require_output("certificatesReady"))
# None until they are ready.
pulumi.export("btcCertificate", signing.get_output("btcCertificate"))
pulumi.export("signedSha256", signing.get_output("signedSha256"))
