/** German texts of the conditions of checks. */
import type { conditions as model } from '../en/conditions.ts'

export const conditions: typeof model = {
  addCondition: 'Bedingung hinzufügen',
  condition: 'Bedingung {number}',
  conditionType: 'Art von Bedingung {number}',
  comparator: 'Vergleich von Bedingung {number}',
  target: 'Erwarteter Wert von Bedingung {number}',
  conditionTypes: {
    STATUS_CODE: 'Statuscode',
    RESPONSE_TIME: 'Antwortzeit (ms)',
    JSON_PATH: 'JSON-Wert',
    HEADER: 'Antwort-Header',
    BODY_CONTAINS: 'Inhalt',
    BANNER: 'Begrüßung des Servers',
    CERTIFICATE_DAYS: 'Zertifikat, Tage bis zum Ablauf',
    DNS_RECORD: 'DNS-Eintrag',
    DOMAIN_DAYS: 'Domain, Tage bis zum Ablauf',
  },
  comparators: {
    EQUALS: 'ist gleich',
    NOT_EQUALS: 'ist ungleich',
    GREATER_THAN: 'ist größer als',
    LESS_THAN: 'ist kleiner als',
    CONTAINS: 'enthält',
    EXISTS: 'ist vorhanden',
    NOT_EXISTS: 'ist nicht vorhanden',
  },
}
