/** Writes the committed OpenAPI document and the types of its client; tests compare both. */
import { writeFile } from 'node:fs/promises'
import { openApiDocument } from './document.ts'

export const documentFile = new URL('../../../../packages/contracts/openapi.json', import.meta.url)

export const documentText = (): string => `${JSON.stringify(openApiDocument(), null, 2)}\n`

if (import.meta.main) {
  // Loads the generator for the command alone: it contains a compiler.
  const { clientTypes, clientTypesFile } = await import('./client-types.ts')
  await writeFile(documentFile, documentText())
  await writeFile(clientTypesFile, await clientTypes())
}
