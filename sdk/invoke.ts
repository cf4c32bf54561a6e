import * as pulumi from "@pulumi/pulumi";

/** Arguments of a function as its `…Output` twin takes them. */
export type Inputs<T> = {
  [K in keyof T]: pulumi.Input<T[K] extends (infer E)[] | undefined ? pulumi.Input<E>[] : T[K]>;
};

/** Asks in this process, with the stack's configuration. Under `pulumi.runtime.setMocks` the mocks are asked instead. */
export async function invoke<R>(name: string, args: object): Promise<R> {
  const token = `docsign:index:${name}`;
  if (isMocked()) return (await pulumi.runtime.invoke(token, { ...args })) as R;
  const config = new pulumi.Config("docsign");
  const { answer } = await import("./runtime.js");
  const { info, warn, debug } = pulumi.log;
  const log = {
    info: (message: string) => void info(message),
    warn: (message: string) => void warn(message),
    progress: (message: string) => void debug(message),
    debug: (message: string) => void debug(message),
  };
  const answered = await answer({ token, args: { ...args }, setting: key => config.get(key), log });
  if ("problem" in answered) throw new pulumi.RunError(`${name}: ${answered.problem}`);
  return answered.result as R;
}

/** Waits for the arguments, and for `dependsOn`. What isn't known yet in a preview reaches nobody: the answer is unknown too. */
export function askOutput<A extends object, R>(
  fn: (args: A) => Promise<R>,
  args: Inputs<A>,
  { dependsOn }: pulumi.InvokeOutputOptions = {},
): pulumi.Output<R> {
  const ready = pulumi
    .output(dependsOn)
    .apply(given =>
      pulumi.all([given ?? []].flat().map(each => (pulumi.CustomResource.isInstance(each) ? each.id : each.urn))),
    );
  return pulumi.all([pulumi.output(args), ready]).apply(([known]) => fn(known as A)) as pulumi.Output<R>;
}

function isMocked(): boolean {
  return pulumi.runtime.getMonitor()?.constructor.name === "MockMonitor";
}
