/** Variables of templates: `{{name}}` in a title or a message, as the API defines them. */

const PLACEHOLDER = /\{\{([A-Za-z0-9_]{1,64})\}\}/g

export const variablesIn = (...texts: string[]): string[] => [
  ...new Set(texts.flatMap((text) => [...text.matchAll(PLACEHOLDER)].map(([, name = '']) => name))),
]

/** Replaces variables with a value; the others remain, so that a missing value is visible. */
export const withVariables = (text: string, values: Readonly<Record<string, string>>): string =>
  text.replace(PLACEHOLDER, (whole, name: string) => values[name] || whole)
