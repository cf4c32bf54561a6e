import { Fields } from "../fields.js";
import { folderBody } from "../formatters.js";
import { addFolder } from "../platform.js";
import { authenticated, payload, type Route } from "./route.js";

export const folderRoutes: readonly Route[] = [
  {
    name: "createFolder",
    methods: ["POST"],
    path: /^\/v1\/folders$/,
    handle: call => {
      const owner = authenticated(call);
      const fields = new Fields(call.json());
      const name = fields.text("name");
      fields.refuseIfWrong();
      return payload(201, folderBody(call.context, addFolder(call.context, owner, name)));
    },
  },
];
