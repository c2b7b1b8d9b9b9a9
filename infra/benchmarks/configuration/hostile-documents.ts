/**
 * Hostile documents, each of the maximum size, that cost much processor time, and one above the
 * limit.
 */

const MAX_BYTES = 256 * 1024

const HEAD = `apiVersion: v1
kind: StatusPageConfig
metadata: { name: hostile, configVersion: "1" }
`

/** Repeats the line up to the maximum size of a document. */
const repeatToLimit = (head: string, line: (index: number) => string, tail = ''): string => {
  const lines: string[] = []
  let bytesLeft = MAX_BYTES - head.length - tail.length
  for (let index = 0; bytesLeft > 0; index++) {
    const next = line(index)
    bytesLeft -= next.length
    if (bytesLeft > 0) lines.push(next)
  }
  return head + lines.join('') + tail
}

const COMPONENTS = `${HEAD}spec:\n  components:\n`
const endpointWith = (fields: string) => `${COMPONENTS}    - { name: A, type: ENDPOINT, ${fields}`
const url = 'url: "https://a.example"'

export const hostileDocuments: Readonly<Record<string, string>> = {
  anchors: `a: &a [x,x,x,x,x,x,x,x,x]\n${'bcdefghij'
    .split('')
    .map((name, index) => {
      const before = String.fromCharCode(97 + index)
      return `${name}: &${name} [${`*${before},`.repeat(9)}]\n`
    })
    .join('')}`,
  'deep nesting': '['.repeat(MAX_BYTES),
  'keys without values': '? '.repeat(MAX_BYTES / 2),
  'unknown keys of the document': repeatToLimit(HEAD, (index) => `k${index}: 1\n`),
  'unknown keys of a component': repeatToLimit(
    endpointWith(`${url}, `),
    (index) => `k${index}: 1, `,
    '}\n',
  ),
  'headers of a component': repeatToLimit(
    endpointWith(`${url}, headers: { `),
    (index) => `h${index}: a, `,
    '}}\n',
  ),
  'conditions of a component': repeatToLimit(
    endpointWith(`${url}, conditions: [`),
    () => '{},',
    ']}\n',
  ),
  'a long name': `${COMPONENTS}    - { name: ${'x'.repeat(MAX_BYTES - 200)}, type: SERVICE }\n`,
  'a long URL': endpointWith(`url: "https://a.example/${'%'.repeat(MAX_BYTES - 300)}" }\n`),
  'components that are numbers': repeatToLimit(COMPONENTS, () => '    - 1\n'),
  'components without a type': repeatToLimit(COMPONENTS, (index) => `    - { name: c${index} }\n`),
  'components with an error in every field': repeatToLimit(
    COMPONENTS,
    (index) =>
      `    - { name: c${index}, type: ENDPOINT, url: x, order: y, method: z, timeout: 0, no: 1 }\n`,
  ),
  'components with the same name': repeatToLimit(
    COMPONENTS,
    () => '    - { name: a, type: SERVICE }\n',
  ),
  'nested groups': repeatToLimit(
    `${HEAD}spec:\n  components:\n`,
    (index) => `    - { name: c${index}, type: SERVICE, group: c${index - 1} }\n`,
  ),
  'components with two variables': repeatToLimit(
    COMPONENTS,
    (index) =>
      `    - { name: c${index}, type: ENDPOINT, ${url}, headers: { X-Key: "\${LONG}", X-Token: "\${SET}" } }\n`,
  ),
  'a document above the limit': `${HEAD}# ${'x'.repeat(1024 * 1024)}\n`,
}
