/**
 * Builds the package: `statusctl.js`, the agent as a file that only its command loads, and the
 * licenses of what they contain.
 */
import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'

const folder = fileURLToPath(new URL('.', import.meta.url))
const output = join(folder, 'dist')

/** `require` of CommonJS packages; only modules of Node are left to it. */
const banner = `#!/usr/bin/env node
import { createRequire as createRequireOfBundle } from 'node:module'
const require = createRequireOfBundle(import.meta.url)
`

await rm(output, { recursive: true, force: true })
await mkdir(output)
const { metafile } = await build({
  absWorkingDir: folder,
  entryPoints: [{ in: 'src/main.ts', out: 'statusctl' }],
  outdir: output,
  bundle: true,
  splitting: true,
  format: 'esm',
  platform: 'node',
  target: 'node20',
  // Loaded by the SMS client of the outbound package only, which agents do not use.
  external: ['twilio'],
  legalComments: 'none',
  banner: { js: banner },
  metafile: true,
})

const packages = new Set(
  Object.keys(metafile.inputs).flatMap((path) => {
    const [, name] = /.*node_modules\/((?:@[^/]+\/)?[^/]+)\//.exec(path) ?? []
    return name === undefined
      ? []
      : [path.slice(0, path.lastIndexOf(`/${name}/`) + name.length + 1)]
  }),
)

const licenseOf = async (path) => {
  const { name, version, license } = JSON.parse(
    await readFile(join(folder, path, 'package.json'), 'utf8'),
  )
  const files = await readdir(join(folder, path))
  const file = files.find((one) => /^licen[cs]e/i.test(one))
  const text = file === undefined ? license : await readFile(join(folder, path, file), 'utf8')
  return `${name} ${version}\n\n${text.trim()}\n`
}

const licenses = await Promise.all([...packages].sort().map(licenseOf))
await writeFile(join(output, 'LICENSES.txt'), licenses.join(`\n${'-'.repeat(72)}\n\n`))
