/**
 * Compiled code of the schema validator. V8 shares the code of the same bytes among the threads of a
 * process while one of them references it; otherwise, the thread that the library starts for each
 * document compiles it again: 40 of 280 ms of processor time of a genuine response.
 */
import { readFile } from 'node:fs/promises'

let code: Promise<WebAssembly.Module> | undefined

const compile = async () =>
  WebAssembly.compile(await readFile(new URL(import.meta.resolve('xmllint-wasm/xmllint.wasm'))))

/** Compiles the validator at the first call, and references its code from then on. */
export const retainValidatorCode = async (): Promise<void> => {
  code ??= compile()
  await code
}
