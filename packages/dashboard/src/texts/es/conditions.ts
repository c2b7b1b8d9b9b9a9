/** Spanish texts of the conditions of checks. */
import type { conditions as model } from '../en/conditions.ts'

export const conditions: typeof model = {
  addCondition: 'Añadir una condición',
  condition: 'Condición {number}',
  conditionType: 'Tipo de la condición {number}',
  comparator: 'Comparación de la condición {number}',
  target: 'Valor esperado de la condición {number}',
  conditionTypes: {
    STATUS_CODE: 'Código de estado',
    RESPONSE_TIME: 'Tiempo de respuesta (ms)',
    JSON_PATH: 'Valor JSON',
    HEADER: 'Cabecera de la respuesta',
    BODY_CONTAINS: 'Cuerpo',
    BANNER: 'Mensaje inicial del servidor',
    CERTIFICATE_DAYS: 'Certificado, días restantes',
    DNS_RECORD: 'Registro DNS',
    DOMAIN_DAYS: 'Registro del dominio, días restantes',
  },
  comparators: {
    EQUALS: 'es igual a',
    NOT_EQUALS: 'es distinto de',
    GREATER_THAN: 'es mayor que',
    LESS_THAN: 'es menor que',
    CONTAINS: 'contiene',
    EXISTS: 'existe',
    NOT_EXISTS: 'no existe',
  },
}
