/** French texts of the conditions of checks. */
import type { conditions as model } from '../en/conditions.ts'

export const conditions: typeof model = {
  addCondition: 'Ajouter une condition',
  condition: 'Condition {number}',
  conditionType: 'Type de la condition {number}',
  comparator: 'Comparaison de la condition {number}',
  target: 'Valeur attendue de la condition {number}',
  conditionTypes: {
    STATUS_CODE: 'Code de statut',
    RESPONSE_TIME: 'Temps de réponse (ms)',
    JSON_PATH: 'Valeur JSON',
    HEADER: 'En-tête de la réponse',
    BODY_CONTAINS: 'Corps',
    BANNER: 'Bannière du serveur',
    CERTIFICATE_DAYS: 'Certificat, jours restants',
    DNS_RECORD: 'Enregistrement DNS',
    DOMAIN_DAYS: 'Enregistrement du domaine, jours restants',
  },
  comparators: {
    EQUALS: 'est égal à',
    NOT_EQUALS: 'est différent de',
    GREATER_THAN: 'est supérieur à',
    LESS_THAN: 'est inférieur à',
    CONTAINS: 'contient',
    EXISTS: 'existe',
    NOT_EXISTS: 'n’existe pas',
  },
}
