/** German texts of problems that requests have. */
import type { problems as model } from '../en/problems.ts'

export const problems: typeof model = {
  keywords: {
    required: 'Dieser Wert ist erforderlich',
    minLength: 'Mindestens {limit} Zeichen',
    maxLength: 'Höchstens {limit} Zeichen',
    minimum: 'Mindestens {limit}',
    maximum: 'Höchstens {limit}',
    maxItems: 'Höchstens {limit} Einträge',
    exists: 'Existiert nicht mehr',
    distinct: 'Ist doppelt vorhanden',
    future: 'Muss in der Zukunft liegen',
    notFuture: 'Darf nicht in der Zukunft liegen',
    after: 'Muss nach „{limit}“ liegen',
    notAfter: 'Darf nicht nach „{limit}“ liegen',
    notGreater: 'Darf nicht größer als „{limit}“ sein',
  },
  url: 'Eine vollständige URL ist nötig, z. B. https://example.com',
  email: 'Eine E-Mail-Adresse ist nötig, z. B. name@example.com',
  phone: 'Eine Telefonnummer mit Ländervorwahl ist nötig, z. B. +14155550123',
  domain: 'Ein Domainname ist nötig, z. B. example.com',
  invalid: 'Dieser Wert ist ungültig ({detail})',
  duplicate: 'Dieser Wert wird bereits verwendet ({detail})',
  refused: 'Die Aktion ist nicht möglich ({detail})',
  gone: 'Der Eintrag existiert nicht mehr oder gehört nicht zu Ihrer Organisation.',
  unavailable: 'Der Dienst ist zurzeit nicht verfügbar. Versuchen Sie es gleich noch einmal.',
  failed:
    'Ein unerwarteter Fehler ist aufgetreten. Versuchen Sie es noch einmal; melden Sie den Fehler, wenn er bleibt.',
  bodyTooLarge: 'Der Inhalt ist zu groß.',
}
