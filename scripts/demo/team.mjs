// The second act: a contract for each line of a table.
import { appendFile, writeFile } from "node:fs/promises";
import { join } from "node:path";

const MEMBERS = 50;

const line = number => `member${number}@example.com,Member ${number},1 March 2027\n`;

export async function playTeam({ stack, service, screen, keep }) {
  const table = join(stack.program, "team.csv");
  const before = (await service.see("mails")).length;
  const mailed = async () => (await service.see("mails")).slice(before);

  screen.step(
    `pulumi up: a table of ${MEMBERS} people, a contract in Markdown, and one resource that sends each theirs`,
  );
  await writeFile(
    table,
    `email,name,start\n${Array.from({ length: MEMBERS }, (_, index) => line(index + 1)).join("")}`,
  );
  await stack.pulumi(["up", "--yes", "--skip-preview", "--suppress-outputs"], screen.engine);
  const first = await mailed();
  screen.table((await stack.outputs()).summary);
  screen.note(`mails sent: ${first.length}, one for each line`);

  screen.step("One line is added to the table: the preview says who will be mailed");
  await appendFile(table, line(MEMBERS + 1));
  await stack.pulumi(["up", "--yes", "--suppress-outputs"], screen.engine);
  const added = (await mailed()).slice(first.length);
  screen.table((await stack.outputs()).summary);
  screen.note(`mails sent: ${added.length}, to ${added.map(({ to }) => to).join(", ")}`);
  if (first.length !== MEMBERS || added.length !== 1) throw new Error("not everyone was mailed once");

  if (keep) return;
  screen.step("pulumi destroy: the stack lets go of all of them; the contracts stay at the service");
  await stack.pulumi(["destroy", "--yes", "--skip-preview"], () => {});
}
