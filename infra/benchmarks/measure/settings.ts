/** Number from the environment, or its default. */
export const numberSetting = (name: string, defaultValue: number): number =>
  Number(process.env[name] ?? defaultValue)
