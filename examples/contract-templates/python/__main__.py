import json
from pathlib import Path

import pulumi
import pulumi_docsign as docsign


def contract(customer):
    # A customer with "keep" has a contract that stays as it was signed, whatever becomes of the template.
    ignored = ["template", "variables"] if customer.get("keep") else []
    return docsign.Document(
        f"terms-{customer['id']}",
        name=f"Terms of service, {customer['company']}",
        template=pulumi.FileAsset("./contracts/terms.md"),
        variables={
            "company": customer["company"],
            "signer": customer["signer"],
            "seats": str(customer["seats"]),
        },
        invitations=[docsign.InvitationArgs(email=customer["email"], name=customer["signer"])],
        opts=pulumi.ResourceOptions(delete_before_replace=True, ignore_changes=ignored),
    )


customers = json.loads(Path("customers.json").read_text(encoding="utf-8"))

pulumi.export("documentIds", [contract(customer).document_id for customer in customers])
