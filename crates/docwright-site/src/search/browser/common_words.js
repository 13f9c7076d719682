// English words that tell little in a question: everybody uses them, whatever the product. A question about
// another product consists of them and of a name, so they must not outweigh the name.
var COMMON_WORDS =
  "able above accept achieve across act actually additional advance after afterwards again against ago ahead all " +
  "allow allowed almost alone along already also alternative although always among amount another answer any " +
  "anybody anymore anyone anything anywhere apart appear apply appropriate around ask available avoid away back " +
  "bad based basic basically because become before begin beginning behave behavior behind believe below beside " +
  "best better between beyond big bigger both bring broken busy call carry case cause certain chance change " +
  "cheap check choose clear clearly close come common company compare complete completely consider contain " +
  "contains continue correct correctly cost count couple cover create current currently day days deal decide " +
  "default depend describe despite detail details different differently difficult directly done down during each " +
  "early easier easily easy effect either else elsewhere enable end ends enough ensure entire equal especially " +
  "even ever every everybody everyone everything everywhere exactly example except exist existing expect explain " +
  "extra face fact fail failed fails fall far fast faster feel few fewer fill final finally find fine finish " +
  "finished first fit fix follow following force forever forget forward found free fresh full fully further " +
  "future general generally get gets getting give given gives go goes going gone good got great guess guide " +
  "half handle hang happens hard hardly hear help helpful here hide high higher highest hold hours huge idea " +
  "identical ignore ignored immediately important impossible improve include included including incorrect indeed " +
  "inside instance instead intend introduce involve itself just keep keeps kept kind know known lack large larger " +
  "largest last lasts late later latest lead least leave less let lets level life like likely limit little live " +
  "long longer longest look lose lost lot low lower lowest made main mainly make makes making manage many matter " +
  "maximum maybe mean means meant mention mind minimum minute minutes miss missing moment month months " +
  "more most mostly move much multiple must name named near nearly necessary needed needs never new newer next " +
  "nice no nobody none nor normal normally not nothing now nowhere number obtain occur off offer offers often ok " +
  "okay old older once one ones only onto open opposite option order ordinary original other others otherwise out " +
  "outside over overall own part particular past pay people per perhaps period person pick piece place places " +
  "plain please plus point points popular possibly prefer prepare present prevent previous probably problem " +
  "proper properly provide provided provides purpose put quick quickly quite rather ready real really reason " +
  "receive recommend recommended regular related remain remember remove repeat replace require required requires " +
  "rest result right room rule safe safely same save say says second seconds see seem seen send separate separately " +
  "serious several shall share short shorter should show shows side similar similarly simple simply since single " +
  "situation slow slowly small smaller smallest some somehow someone something sometimes somewhere soon " +
  "sort special specific specify stand start started starts stay still stop stops straight strange stuff such " +
  "suddenly suggest suit supply support supported supports suppose sure switch take taken takes talk tell tells " +
  "than thing things think third though through throughout time times tiny to today together tomorrow too " +
  "took total touch toward trouble true try trying turn twice two type typical under understand unless unlike " +
  "until up upon usage use used useful uses using usual usually various very via wait wanted wants watch way ways " +
  "week weeks well went were whatever whenever wherever whether whichever whole whose wide within without wonder " +
  "work works worse worst worth write wrong year years yes yesterday yet";

// Whether a stem is that of a common word, in an English index.
function isCommon(core, stem) {
  if (!core.common) core.common = new Set(core.isEnglish ? COMMON_WORDS.split(" ").map(core.stem) : []);
  return core.common.has(stem);
}
