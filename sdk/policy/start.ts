import { PolicyPack } from "@pulumi/policy";
import { policies } from "./index.js";

new PolicyPack("docsign", { policies });
