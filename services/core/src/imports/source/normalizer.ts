/** Normalization of imported texts and times, with a warning for each changed value. */
import { MAX_IMPORT_WARNINGS, type StatuspageReport } from '@status-page/contracts'
import { toOneLine, truncateText } from './plain-text.ts'

const UNTITLED = 'Untitled'

/** Conversions of the texts of the documents, by the text at the source. */
export interface ConvertedTexts {
  /** Names and descriptions as plain text. */
  plain: ReadonlyMap<string, string>
  /** Messages as Markdown. */
  messages: ReadonlyMap<string, string>
}

export class Normalizer {
  readonly warnings: StatuspageReport['warnings'] = []
  readonly now: Date
  readonly #texts: ConvertedTexts

  constructor(now: Date, texts: ConvertedTexts) {
    this.now = now
    this.#texts = texts
  }

  warn(field: string, message: string): void {
    if (this.warnings.length < MAX_IMPORT_WARNINGS) this.warnings.push({ field, message })
  }

  oneLine(field: string, text: string, maxLength: number): string {
    const line = toOneLine(this.#texts.plain.get(text) ?? '')
    if (line === null) this.warn(field, `has no text and is named ${UNTITLED}`)
    return this.#truncate(field, line ?? UNTITLED, maxLength)
  }

  /** Null for an empty text. */
  description(field: string, text: string | null | undefined, maxLength: number): string | null {
    return this.#truncate(field, this.#texts.plain.get(text ?? '') ?? '', maxLength) || null
  }

  message(field: string, text: string | null | undefined, maxLength: number): string {
    return this.#truncate(field, this.#texts.messages.get(text ?? '') ?? '', maxLength)
  }

  /** Limits past times to now. */
  pastTime(time: string | null | undefined, otherwise: Date): Date {
    const at = time ? new Date(time) : otherwise
    return new Date(Math.min(at.getTime(), this.now.getTime()))
  }

  #truncate(field: string, text: string, maxLength: number): string {
    const truncated = truncateText(text, maxLength)
    if (truncated !== text) this.warn(field, `is truncated to ${maxLength} characters`)
    return truncated
  }
}
