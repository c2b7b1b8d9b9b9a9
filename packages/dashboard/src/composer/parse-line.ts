/**
 * Line of the composer, such as "API, Checkout down": finds the components and their statuses.
 * Every other word stays in the title. A name counts wherever it is written in full; its beginning
 * counts at the start of a phrase, so that ordinary words are not taken for names.
 */
import type { DisruptedStatus } from '@status-page/contracts'
import { disruptedStatuses } from '../api/contract.ts'
import { type FoldedText, foldText, isBoundary, isUnspaced } from './folded-text.ts'
import { statusWords } from './status-words.ts'

export interface NamedComponent {
  id: string
  name: string
}

export interface ParsedLine {
  /** Components in the order in which the line names them. */
  components: { id: string; status: DisruptedStatus }[]
  /** Texts that several components match. */
  ambiguous: AmbiguousName[]
  /** Line with the full names of its components. */
  title: string
  /** Whether the line has words other than names. */
  hasWords: boolean
}

export interface AmbiguousName {
  /** Text as written. */
  text: string
  candidateIds: string[]
  status: DisruptedStatus
}

/** Status of components for which the line names none. */
const DEFAULT_STATUS: DisruptedStatus = 'degraded_performance'
/** Minimum length of the beginning of a name, in characters. */
const MIN_PREFIX = 3
const MIN_UNSPACED_PREFIX = 2

const SEPARATOR = /[,;:،؛、。&+/|·–—]/u
const conjunctions = ['and', 'und', 'et', 'y', 'e', 'と', 'や'].map((word) => foldText(word).text)
/** Written as one word with the word that follows. */
const ATTACHED_CONJUNCTION = 'و'
const PARTICLE = /か\u3099|は|を|も/u

const phrases = Object.values(statusWords)
  .flatMap((language) =>
    disruptedStatuses.flatMap((status) =>
      language[status].map((words) => ({ text: foldText(words).text, status })),
    ),
  )
  .sort((a, b) => b.text.length - a.text.length)

interface Name {
  id: string
  name: string
  text: string
  words: string[]
}

/** Part of the line that has a meaning. */
type Mark =
  | { kind: 'names'; start: number; end: number; candidates: Name[]; segment: number }
  | { kind: 'status'; start: number; end: number; status: DisruptedStatus; segment: number }

type NamesMark = Extract<Mark, { kind: 'names' }>

export const parseLine = (line: string, components: readonly NamedComponent[]): ParsedLine => {
  const folded = foldText(line)
  const marks = folded.text === '' ? [] : marksOf(folded.text, namesOf(components))
  const named = marks.filter((mark) => mark.kind === 'names')
  const statuses = new Map(named.map((mark) => [mark, statusOf(mark, marks)]))
  const found = new Map<string, DisruptedStatus>()
  const ambiguous = new Map<string, AmbiguousName>()
  for (const mark of named) {
    const status = statuses.get(mark) ?? DEFAULT_STATUS
    const [first, ...others] = mark.candidates
    if (first !== undefined && others.length === 0) found.set(first.id, status)
    else {
      const text = writtenText(line, folded, mark)
      ambiguous.set(text, { text, candidateIds: mark.candidates.map(({ id }) => id), status })
    }
  }
  return {
    components: [...found].map(([id, status]) => ({ id, status })),
    ambiguous: [...ambiguous.values()],
    title: titleOf(line, folded, named),
    hasWords: hasOtherWords(folded.text, named),
  }
}

/** Names of each list: it is the same one for all keys of a line. */
const namesOfLists = new WeakMap<readonly NamedComponent[], Name[]>()

const namesOf = (components: readonly NamedComponent[]): Name[] => {
  const known = namesOfLists.get(components)
  if (known !== undefined) return known
  const names = components
    .map(({ id, name }) => {
      const text = foldText(name).text.trim()
      return { id, name, text, words: text.split(' ') }
    })
    .filter(({ text }) => text !== '')
    .sort((a, b) => b.text.length - a.text.length)
  namesOfLists.set(components, names)
  return names
}

const marksOf = (text: string, names: readonly Name[]): Mark[] => {
  const marks: Mark[] = []
  let segment = 0
  let isPhraseStart = true
  let at = 0
  while (at < text.length) {
    const mark = markAt(text, { at, segment, isPhraseStart }, names)
    if (mark !== null) {
      marks.push(mark)
      at = mark.end
      // A conjunction after a name introduces another name.
      const joint = mark.kind === 'names' ? conjunctionAt(text, at) : 0
      at += joint
      isPhraseStart = joint > 0
      continue
    }
    const isSeparator = SEPARATOR.test(text[at] ?? '')
    if (isSeparator) segment++
    isPhraseStart = isSeparator || (isPhraseStart && text[at] === ' ')
    at = nextBoundary(text, at)
  }
  return marks
}

const markAt = (
  text: string,
  { at, segment, isPhraseStart }: { at: number; segment: number; isPhraseStart: boolean },
  names: readonly Name[],
): Mark | null => {
  if (text[at] === ' ') return null
  const full = names.filter((name) => isWholeAt(text, at, name.text))
  const longest = full[0]?.text.length ?? 0
  const phrase = phrases.find((one) => isWholeAt(text, at, one.text))
  if (longest > 0 && longest >= (phrase?.text.length ?? 0)) {
    const candidates = full.filter((name) => name.text.length === longest)
    return { kind: 'names', start: at, end: at + longest, candidates, segment }
  }
  if (phrase !== undefined) {
    const { status } = phrase
    return { kind: 'status', start: at, end: at + phrase.text.length, status, segment }
  }
  const partial = isPhraseStart ? prefixAt(text, at, names) : null
  return partial && { kind: 'names', start: at, segment, ...partial }
}

const isWholeAt = (text: string, at: number, part: string): boolean =>
  text.startsWith(part, at) && isBoundary(text, at + part.length)

/** Longest run of words that begin the words of a name, and the names that it matches. */
const prefixAt = (
  text: string,
  at: number,
  names: readonly Name[],
): { end: number; candidates: Name[] } | null => {
  const words = wordsAt(text, at)
  const [first] = words
  if (first === undefined) return null
  const minimum = isUnspaced(first.text) ? MIN_UNSPACED_PREFIX : MIN_PREFIX
  if ([...first.text].length < minimum) return null
  const matches = names
    .map((name) => ({ name, ...bestMatch(words, name) }))
    .filter(({ count }) => count > 0)
    // More words are the better match, then more whole words, then the start of the name.
    .sort((a, b) => b.count - a.count || b.whole - a.whole || a.offset - b.offset)
  const [best] = matches
  if (best === undefined) return null
  const isStart = best.offset === 0
  const candidates = matches
    .filter(({ count, whole }) => count === best.count && whole === best.whole)
    .filter(({ offset }) => (offset === 0) === isStart)
    .map(({ name }) => name)
  return { end: words[best.count - 1]?.end ?? at, candidates }
}

interface Match {
  /** Number of words that begin the words of the name. */
  count: number
  /** Number of those that are whole: `db 4` is not the beginning of `db 42`. */
  whole: number
  offset: number
}

const bestMatch = (words: readonly Word[], name: Name): Match => {
  let best = { count: 0, whole: 0, offset: 0 }
  for (let offset = 0; offset < name.words.length; offset++) {
    const isPrefix = ({ text }: Word, index: number) =>
      name.words[offset + index]?.startsWith(text) === true
    const end = words.findIndex((word, index) => !isPrefix(word, index))
    const count = end === -1 ? words.length : end
    if (count <= best.count) continue
    const isWhole = ({ text }: Word, index: number) => name.words[offset + index] === text
    best = { count, whole: words.slice(0, count).filter(isWhole).length, offset }
  }
  return best
}

interface Word {
  text: string
  end: number
}

/** Words of the phrase at `at`, up to a separator, a status or a particle. */
const wordsAt = (text: string, at: number): Word[] => {
  const words: Word[] = []
  let start = at
  for (let end = at; end <= text.length; end++) {
    const character = text[end]
    const isEnd =
      character === undefined ||
      SEPARATOR.test(character) ||
      (end > at && isBoundary(text, end) && endsPhrase(text, end))
    if (isEnd || character === ' ') {
      if (end > start) words.push({ text: text.slice(start, end), end })
      start = end + 1
    }
    if (isEnd) break
  }
  return words
}

const endsPhrase = (text: string, at: number): boolean =>
  phrases.some((phrase) => isWholeAt(text, at, phrase.text)) ||
  (isUnspaced(text[at - 1] ?? '') && text.slice(at).search(PARTICLE) === 0) ||
  conjunctionAt(text, at - 1) > 0

/** Length of a conjunction with the spaces around it, or 0. */
const conjunctionAt = (text: string, at: number): number => {
  const spaces = text[at] === ' ' ? 1 : 0
  const start = at + spaces
  if (text[start] === ATTACHED_CONJUNCTION && spaces > 0) {
    return spaces + 1 + (text[start + 1] === ' ' ? 1 : 0)
  }
  const word = conjunctions.find((one) => isWholeAt(text, start, one))
  if (word === undefined || (spaces === 0 && !isUnspaced(word))) return 0
  const end = start + word.length
  return end - at + (text[end] === ' ' ? 1 : 0)
}

const nextBoundary = (text: string, at: number): number => {
  for (let next = at + 1; next < text.length; next++) if (isBoundary(text, next)) return next
  return text.length
}

/**
 * Status of a name: the next one of its part of the line, else the previous one of its part, else
 * the next or the previous one of the line.
 */
const statusOf = (name: NamesMark, marks: readonly Mark[]): DisruptedStatus => {
  const statuses = marks.filter((mark) => mark.kind === 'status')
  const next = statuses.filter(({ start }) => start >= name.end)
  const previous = statuses.filter(({ end }) => end <= name.start).reverse()
  const own = [...next, ...previous].filter(({ segment }) => segment === name.segment)
  return [...own, ...next, ...previous][0]?.status ?? DEFAULT_STATUS
}

const writtenText = (line: string, { positions }: FoldedText, { start, end }: NamesMark): string =>
  line.slice(positions[start], positions[end]).trim()

const titleOf = (line: string, folded: FoldedText, named: readonly NamesMark[]): string => {
  let title = ''
  let written = 0
  for (const mark of named) {
    const [first, ...others] = mark.candidates
    if (first === undefined || others.length > 0) continue
    title += line.slice(written, folded.positions[mark.start]) + first.name
    written = folded.positions[mark.end] ?? line.length
  }
  title = (title + line.slice(written)).replaceAll(/\s+/gu, ' ').trim()
  return named[0]?.start === 0 ? title : title.charAt(0).toLocaleUpperCase() + title.slice(1)
}

const hasOtherWords = (text: string, named: readonly NamesMark[]): boolean => {
  let rest = text
  for (const { start, end } of named.toReversed()) {
    rest = `${rest.slice(0, start)} ${rest.slice(end)}`
  }
  const others = rest.split(' ').filter((word) => !conjunctions.includes(word))
  return others.some((word) => /[\p{L}\p{N}]/u.test(word.replace(/^و$/u, '')))
}
