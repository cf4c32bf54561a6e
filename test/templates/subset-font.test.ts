import fc from "fast-check";
import { create } from "fontkit";
import { expect, test } from "vitest";
import { shippedFont } from "../../sdk/templates/shipped-font.js";
import { SubsetFonts } from "../../sdk/templates/subset-font.js";

const SHIPPED = [
  "DejaVuSerifCondensed",
  "DejaVuSerifCondensed-Bold",
  "DejaVuSerifCondensed-Italic",
  "DejaVuSerifCondensed-BoldItalic",
  "DejaVuSansCondensed",
];

test.each(SHIPPED)("some glyphs of %s are the font that fontkit writes of them", name => {
  const bytes = shippedFont(name);
  const fonts = new SubsetFonts(create(bytes));
  // Another instance, which nothing was asked of.
  const library = create(bytes);
  const characters = library.characterSet.map(code => library.glyphForCodePoint(code).id);
  const letters = [..."Agreement with Zoë Kovač, Łukasz Ñandú ﬁ ½ ệ"].map(
    char => library.glyphForCodePoint(char.codePointAt(0) ?? 0).id,
  );
  const ids = fc.uniqueArray(fc.oneof(fc.constantFrom(...characters), fc.constantFrom(...letters)), { maxLength: 40 });
  fc.assert(
    fc.property(ids, ids => {
      const subset = library.createSubset();
      for (const id of ids) subset.includeGlyph(id);
      const given = [...subset.glyphs];
      expect(Buffer.from(fonts.encode(given)).equals(subset.encode())).toBe(true);
    }),
    { numRuns: 50 },
  );
});
