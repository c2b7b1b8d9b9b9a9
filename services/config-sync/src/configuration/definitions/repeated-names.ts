/** Names that several resources of one kind have; a document cannot identify these resources. */
export const findRepeatedNames = (resources: readonly { name: string }[]): Set<string> => {
  const seen = new Set<string>()
  return new Set(
    resources.map(({ name }) => name).filter((name) => seen.has(name) || !seen.add(name)),
  )
}
