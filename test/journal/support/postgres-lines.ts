import { PartialLog } from "../../../provider/resources/journal/log.js";
import { PostgresTable } from "../../../provider/resources/journal/postgres-table.js";

export const postgresLines = (url: string): PartialLog => new PartialLog(new PostgresTable(url));
