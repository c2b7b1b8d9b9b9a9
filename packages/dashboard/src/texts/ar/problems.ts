/** Arabic texts of problems that requests have. */
import type { problems as model } from '../en/problems.ts'

export const problems: typeof model = {
  keywords: {
    required: 'هذه القيمة مطلوبة',
    minLength: 'الحد الأدنى لعدد الأحرف: {limit}',
    maxLength: 'الحد الأقصى لعدد الأحرف: {limit}',
    minimum: 'الحد الأدنى: {limit}',
    maximum: 'الحد الأقصى: {limit}',
    maxItems: 'الحد الأقصى لعدد العناصر: {limit}',
    exists: 'لم يعد موجودًا',
    distinct: 'مكرر في القائمة',
    future: 'يجب أن يكون في المستقبل',
    notFuture: 'يجب ألا يكون في المستقبل',
    after: 'يجب أن يكون بعد «\u2068{limit}\u2069»',
    notAfter: 'يجب ألا يكون بعد «\u2068{limit}\u2069»',
    notGreater: 'يجب ألا يتجاوز «\u2068{limit}\u2069»',
  },
  url: 'أدخل عنوان URL كاملاً، مثل \u2068https://example.com\u2069',
  email: 'أدخل عنوان بريد إلكتروني، مثل \u2068name@example.com\u2069',
  phone: 'أدخل رقم هاتف مع رمز الدولة، مثل \u2068+14155550123\u2069',
  domain: 'أدخل اسم نطاق، مثل \u2068example.com\u2069',
  invalid: 'هذه القيمة غير صالحة (\u2068{detail}\u2069)',
  duplicate: 'هذه القيمة مستخدمة بالفعل (\u2068{detail}\u2069)',
  refused: 'لا يمكن تنفيذ الإجراء (\u2068{detail}\u2069)',
  gone: 'لم يعد العنصر موجودًا، أو أنه لا ينتمي إلى مؤسستك.',
  unavailable: 'الخدمة غير متاحة حاليًا. أعد المحاولة بعد لحظات.',
  failed: 'حدث خطأ غير متوقع. أعد المحاولة، وأبلغ عن الخطأ إذا تكرر.',
  bodyTooLarge: 'المحتوى كبير جدًا.',
}
