/**
 * Languages of messages, one file each, with the names of statuses and impacts that the pages show.
 * The list of locales in the contract names the files, so that a language is added without a
 * registry; a missing file ends the start of the service.
 */
import { type Locale, locales } from '@status-page/contracts'
import { textsByLocale } from '@status-page/html/texts'
import type { MessageLanguage, MessagePhrases } from '../language.ts'

const load = async (tag: Locale): Promise<[Locale, MessageLanguage]> => {
  const phrases: MessagePhrases = (await import(`./${tag}.ts`))[tag]
  const { direction, statusPage } = textsByLocale[tag]
  const language = {
    ...phrases,
    tag,
    direction,
    incidentStatuses: statusPage.incidents,
    maintenanceStatuses: statusPage.maintenances,
    componentStatuses: statusPage.components,
    impacts: statusPage.impacts,
  }
  return [tag, language]
}

export const languages = Object.fromEntries(await Promise.all(locales.map(load))) as Readonly<
  Record<Locale, MessageLanguage>
>
