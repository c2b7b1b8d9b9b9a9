/** German texts of problems that requests have. */
import type { problems as model } from '../en/problems.ts'

export const problems: typeof model = {
  required: 'Dieser Wert ist erforderlich',
  tooShort: 'Mindestens {limit} Zeichen',
  tooLong: 'Höchstens {limit} Zeichen',
  tooSmall: 'Mindestens {limit}',
  tooLarge: 'Höchstens {limit}',
  tooMany: 'Höchstens {limit} Einträge',
  url: 'Eine vollständige URL ist nötig, z. B. https://example.com',
  email: 'Eine E-Mail-Adresse ist nötig, z. B. name@example.com',
  phone: 'Eine Telefonnummer mit Ländervorwahl ist nötig, z. B. +14155550123',
  domain: 'Ein Domainname ist nötig, z. B. example.com',
  invalid: 'Dieser Wert ist ungültig ({detail})',
  duplicate: 'Dieser Wert wird bereits verwendet ({detail})',
  refused: 'Die Aktion ist nicht möglich ({detail})',
  field: '{field}: {problem}',
  gone: 'Der Eintrag existiert nicht mehr oder gehört nicht zu Ihrer Organisation.',
  unavailable: 'Der Dienst ist zurzeit nicht verfügbar. Versuchen Sie es gleich noch einmal.',
  failed:
    'Ein unerwarteter Fehler ist aufgetreten. Versuchen Sie es noch einmal; melden Sie den Fehler, wenn er bleibt.',
  bodyTooLarge: 'Der Inhalt ist zu groß.',
}
