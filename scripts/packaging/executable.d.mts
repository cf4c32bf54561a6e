export function writeExecutable(platform: string, output: string): Promise<void>;
