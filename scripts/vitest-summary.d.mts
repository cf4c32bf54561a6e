export const NOT_TODAY: string;
