package contracts;

import com.pulumi.Pulumi;
import com.pulumi.asset.FileAsset;
import com.pulumi.core.Output;
import com.pulumi.resources.CustomResourceOptions;
import com.pulumidocsign.docsign.Document;
import com.pulumidocsign.docsign.DocumentArgs;
import com.pulumidocsign.docsign.Folder;
import com.pulumidocsign.docsign.FolderArgs;
import com.pulumidocsign.docsign.inputs.InvitationArgs;
import java.util.Map;

public class App {
    public static void main(String[] args) {
        Pulumi.run(ctx -> {
            var contracts = new Folder("contracts", FolderArgs.builder().name("Contracts").build());

            var nda = new Document("nda", DocumentArgs.builder()
                    .name("Mutual NDA")
                    .folderId(contracts.folderId())
                    .template(new FileAsset("./contracts/nda.md"))
                    .variables(Map.of("company", "Acme", "partner", "Example"))
                    .invitations(
                            InvitationArgs.builder().email("ana@example.com").name("Ana Torres").stage(1).build(),
                            InvitationArgs.builder().email("bob@example.org").name("Bob Lindqvist").stage(2).build())
                    .build(),
                    // The engine then shows the document before it is replaced, and one that somebody signed is kept.
                    CustomResourceOptions.builder().deleteBeforeReplace(true).build());

            ctx.export("documentId", nda.documentId());
            ctx.export("status", nda.status());
            ctx.export("pendingSigners", nda.pendingSigners());
            ctx.export("btcCertificate", nda.certificates().applyValue(of -> of.btcUrl()));
        });
    }
}
