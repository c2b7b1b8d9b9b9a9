/**
 * Validation of a message against the schemas of the protocol, by libxml2. Of its two builds for
 * Node this one reports failure by exit status; samlify's node-xmllint treats an output of one line
 * as success, leaves listeners that end the process, and compiles for a second before each
 * document.
 */
import { readFileSync } from 'node:fs'
import { memoryPages, validateXML } from 'xmllint-wasm'
import { retainValidatorCode } from './validator-code.ts'
import { XmlError } from './xml.ts'

const MAX_MEMORY_PAGES = 64 * memoryPages.MiB

const read = (fileName: string) => ({
  fileName,
  contents: readFileSync(new URL(`schemas/${fileName}`, import.meta.url), 'utf8'),
})

/** File names by which the schemas import each other. */
const protocol = read('saml-schema-protocol-2.0.xsd')
const imported = [
  read('saml-schema-assertion-2.0.xsd'),
  read('xmldsig-core-schema.xsd'),
  read('xenc-schema.xsd'),
]

export const validateSchema = async (text: string): Promise<void> => {
  await retainValidatorCode()
  const { valid } = await validateXML({
    xml: [{ fileName: 'message.xml', contents: text }],
    schema: [protocol],
    preload: imported,
    maxMemoryPages: MAX_MEMORY_PAGES,
  }).catch(() => ({ valid: false }))
  if (!valid) throw new XmlError('schema')
}
