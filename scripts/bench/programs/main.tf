# A signing document through a generic REST provider, as its own pages describe it.
terraform {
  required_providers {
    restapi = {
      source  = "peers.invalid/mastercard/restapi"
      version = "1.20.0"
    }
  }
}

variable "service" { type = string }
variable "pdfs" { type = string }
variable "documents" { type = number }

provider "restapi" {
  uri          = var.service
  id_attribute = "payload/id"
  # The id is in the answer to the creation; without this it refuses to create what it doesn't know the id of.
  create_returns_object = true
  headers = {
    "x-api-key"    = "bench"
    "Content-Type" = "application/json"
  }
}

resource "restapi_object" "contract" {
  count = var.documents
  path  = "/v1/documents"
  data = jsonencode({
    name                   = "Contract ${count.index}"
    invitations_attributes = [{ invite_email = "ana@example.com", invite_name = "Ana Torres" }]
    base64_file            = "data:application/pdf;base64,${filebase64("${var.pdfs}/${count.index}.pdf")}"
  })
}
