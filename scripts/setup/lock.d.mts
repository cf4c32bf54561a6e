export interface Holder {
  readonly pid: number;
  readonly host: string;
  /** Which processes its number is one of: host, boot and container. */
  readonly machine: string;
  /** Of its last sign of life, in milliseconds. */
  readonly seenAt: number;
}

export interface Held {
  release(): void;
}

export interface LockOptions {
  readonly silent?: number;
  readonly self?: Pick<Holder, "pid" | "host" | "machine">;
  readonly isAlive?: (pid: number) => boolean;
  readonly onLost?: () => void;
}

export const SILENT: number;
export function thisProcess(): Pick<Holder, "pid" | "host" | "machine">;
export function tryLock(
  path: string,
  options?: LockOptions,
): { readonly held: Held; readonly holder?: undefined } | { readonly held?: undefined; readonly holder: Holder };
export function withLock<T>(
  path: string,
  work: () => T | Promise<T>,
  options?: LockOptions & { readonly poll?: number; readonly onWait?: (holder: Holder) => void },
): Promise<T>;
