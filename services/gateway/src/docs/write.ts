/** Writes the committed OpenAPI document; a test compares it with the generated one. */
import { writeFile } from 'node:fs/promises'
import { openApiDocument } from './document.ts'

export const documentFile = new URL('../../../../packages/contracts/openapi.json', import.meta.url)

export const documentText = (): string => `${JSON.stringify(openApiDocument(), null, 2)}\n`

if (import.meta.main) await writeFile(documentFile, documentText())
