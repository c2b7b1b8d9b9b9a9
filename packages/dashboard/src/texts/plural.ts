/** Texts with values: `{name}` is the placeholder of a value. */

/** Text per plural category of the language (Unicode CLDR); `{count}` is the formatted number. */
export type Plural = { other: string } & Partial<Record<Intl.LDMLPluralRule, string>>

/** Types the English forms as `Plural`, because other languages have other categories. */
export const plural = (forms: Plural): Plural => forms

export const fill = (text: string, values: Readonly<Record<string, string | number>>): string =>
  text.replace(/\{(\w+)\}/g, (placeholder, name: string) => String(values[name] ?? placeholder))

export const pluralOf = (locale: string, forms: Plural, count: number): string => {
  const category = new Intl.PluralRules(locale).select(count)
  const text = forms[category] ?? forms.other
  return fill(text, { count: new Intl.NumberFormat(locale).format(count) })
}
