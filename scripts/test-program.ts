/**
 * Program that runs the test files of TEST_FILES one after the other, up to the first that
 * fails. Each is a subtest: the files share loaded modules and compiled code.
 */
import { registerHooks } from 'node:module'
import { pathToFileURL } from 'node:url'
import type { Test } from 'tap'

// Not arguments: tap names its folders after them.
const { files, timeoutSeconds } = JSON.parse(process.env.TEST_FILES ?? '')

const errorDomain = new URL('error-domain.ts', import.meta.url).href

/** Subtests of files by URL; the file imports its own as `tap`. */
const subtests = new Map<string, Test>()
Object.assign(globalThis, { subtestOf: (url: string) => subtests.get(url) })

registerHooks({
  resolve(specifier, context, next) {
    const { parentURL = '' } = context
    if (specifier === 'async-hook-domain') return { url: errorDomain, shortCircuit: true }
    if (specifier !== 'tap' || !subtests.has(parentURL)) return next(specifier, context)
    const source = `export default globalThis.subtestOf(${JSON.stringify(parentURL)})`
    return { url: `data:text/javascript,${encodeURIComponent(source)}`, shortCircuit: true }
  },
})

// Loaded with the hooks.
const { default: tap } = await import('tap')
// Only files and their tests have a timeout.
tap.setTimeout(0)
for (const file of files) {
  const { href } = pathToFileURL(file)
  const results = await tap.test(file, { timeout: timeoutSeconds * 1_000 }, async (t) => {
    subtests.set(href, t as Test)
    await import(href)
  })
  // The parser emits the result of the file at the next line that is no comment, which is otherwise
  // one of the next file.
  tap.pragma({ strict: false })
  if (!results?.ok) break
}
