/** Parsed sources, for checks that read the same files. */
import { type ParseResult, parseSync } from 'oxc-parser'

export interface Source extends Pick<ParseResult, 'comments' | 'program'> {
  /** Path from the root of the repository. */
  file: string
  text: string
}

export const isSource = (file: string): boolean => /\.m?tsx?$|\.mjs$/.test(file)

export function parseSource(file: string, text: string): Source {
  const { comments, program } = parseSync(file, text)
  return { file, text, comments, program }
}
