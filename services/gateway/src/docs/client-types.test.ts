/** The types of the client are those of the committed OpenAPI document. */
import { readFile } from 'node:fs/promises'
import t from 'tap'
import { clientTypes, clientTypesFile } from './client-types.ts'

t.test('the committed types of the client are those of the document', async (t) => {
  t.equal(await readFile(clientTypesFile, 'utf8'), await clientTypes())
})
