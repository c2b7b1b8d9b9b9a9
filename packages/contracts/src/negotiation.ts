/** Which form of a page is answered: one rule for who makes it and for who keeps it. Pure. */

/** Whether an `Accept` header would rather have Markdown than HTML; no browser says so. */
export const prefersMarkdown = (accept: string | string[] | undefined): boolean => {
  const wishes = String(accept ?? '').split(',')
  const weight = weightOf(wishes, 'text/markdown')
  return weight > 0 && weight >= weightOf(wishes, 'text/html')
}

const weightOf = (wishes: readonly string[], type: string): number => {
  const wish = wishes.find((one) => one.split(';', 1)[0]?.trim().toLowerCase() === type)
  if (wish === undefined) return 0
  const [, given] = /;\s*q=([01](?:\.\d{1,3})?)/i.exec(wish) ?? []
  return given === undefined ? 1 : Number(given)
}
