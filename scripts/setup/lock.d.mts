export interface Holder {
  readonly pid: number;
  readonly host: string;
  /** Which processes its number is one of: host, boot and container. */
  readonly machine: string;
  /** Of its last sign of life, in milliseconds. */
  readonly seenAt: number;
}

export interface Lock extends Disposable {
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
): { readonly lock: Lock; readonly holder?: undefined } | { readonly lock?: undefined; readonly holder: Holder };
export function withLock<T>(
  path: string,
  work: () => T | Promise<T>,
  options?: LockOptions & { readonly poll?: number; readonly onWait?: (holder: Holder) => void },
): Promise<T>;
