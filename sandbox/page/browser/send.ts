import { byId } from "../../../commands/ui/browser/dom.js";
import { redraw } from "./live.js";

/** Sends a form as the JSON of its action, and says what came of it. */
export async function send(form: HTMLFormElement): Promise<void> {
  const problem = form.querySelector(".problem");
  const { action = "", done = "" } = form.dataset;
  if (problem) problem.textContent = "";
  try {
    const response = await fetch(`/_sandbox/${action}`, {
      method: "POST",
      headers: { "Content-Type": "application/json" },
      body: JSON.stringify(await bodyOf(form)),
    });
    const answer: { error?: { message?: string } } = await response.json();
    if (!response.ok) throw new Error(answer.error?.message ?? `the sandbox answered ${response.status}`);
    form.reset();
    await redraw();
    const toast = byId("toast");
    if (toast) toast.textContent = done;
  } catch (error) {
    if (problem) problem.textContent = error instanceof Error ? error.message : String(error);
  }
}

type Nested = { [name: string]: unknown };

async function bodyOf(form: HTMLFormElement): Promise<Nested> {
  const body: Nested = {};
  for (const field of form.elements) {
    if (
      !(field instanceof HTMLInputElement || field instanceof HTMLSelectElement || field instanceof HTMLTextAreaElement)
    )
      continue;
    if (
      field.name === "" ||
      field.matches(":disabled") ||
      (field.type === "radio" && !(field as HTMLInputElement).checked)
    )
      continue;
    const value = await read(field);
    if (value === undefined) continue;
    const [name = "", inner] = field.name.split(".");
    if (inner === undefined) body[name] = value;
    else body[name] = { ...(body[name] as Nested | undefined), [inner]: value };
  }
  return body;
}

async function read(field: HTMLInputElement | HTMLSelectElement | HTMLTextAreaElement): Promise<unknown> {
  const { value } = field;
  const kind = field.dataset["kind"];
  if (kind === "base64") {
    const file = field instanceof HTMLInputElement ? field.files?.[0] : undefined;
    return file && base64Of(file);
  }
  if (value === "") return undefined;
  if (kind === "number") return Number(value);
  if (kind === "hours") return Number(value) * 3_600_000;
  if (kind === "boolean") return value === "true";
  if (kind === "json") return value === "always" ? value : JSON.parse(value);
  return value;
}

function base64Of(file: File): Promise<string> {
  return new Promise((resolve, reject) => {
    const reader = new FileReader();
    reader.onload = () => resolve(String(reader.result).replace(/^[^,]*,/, ""));
    reader.onerror = () => reject(new Error(`${file.name} can't be read`));
    reader.readAsDataURL(file);
  });
}
