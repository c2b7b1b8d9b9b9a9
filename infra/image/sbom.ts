/**
 * Prints the software bill of materials of the image: the CycloneDX document of the npm packages
 * with the Debian packages and Node added. Called with the document and a list of Debian packages
 * (name, version, architecture).
 */
import { readFileSync } from 'node:fs'

interface Component {
  type: string
  name: string
  version: string
  purl: string
  'bom-ref'?: string
}

interface Document {
  metadata: { component: Record<string, unknown> }
  components: Component[]
}

const [documentFile = '', debianFile = ''] = process.argv.slice(2)
const document: Document = JSON.parse(readFileSync(documentFile, 'utf8'))
const debian = readFileSync(debianFile, 'utf8').trim().split('\n').map(debianComponent)
const node = component('application', 'node', process.versions.node, 'pkg:generic/node')
document.components.push(node, ...debian)
console.log(JSON.stringify(document, null, 2))

function debianComponent(line: string): Component {
  const [name = '', version = '', architecture = ''] = line.split('\t')
  const found = component('library', name, version, `pkg:deb/debian/${encodeURIComponent(name)}`)
  return { ...found, purl: `${found.purl}?arch=${architecture}` }
}

function component(type: string, name: string, version: string, purl: string): Component {
  const versioned = `${purl}@${encodeURIComponent(version)}`
  return { type, name, version, purl: versioned, 'bom-ref': versioned }
}
