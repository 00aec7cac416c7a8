import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { joinPath, parseTemplate, type Template } from "./template.ts";

function parsed(endpoint: string, path?: string): Template {
  const template = parseTemplate(endpoint, path);
  if (typeof template === "string") throw new Error(template);
  return template;
}

describe("an endpoint", () => {
  it("is taken apart into what is fixed and what arguments fill", () => {
    expect(parsed("https://api.example:8443/v1/users/{id}/posts/{post}?lang=de&q={text}")).toEqual({
      origin: "https://api.example:8443",
      host: "api.example:8443",
      literals: ["/v1/users/", "/posts/", ""],
      slots: ["id", "post"],
      query: "lang=de",
      queryKeys: ["lang"],
      queryPlaceholders: [{ name: "text", encodedKey: "q" }],
    });
  });

  it("has a path of one slash where it names none", () => {
    expect(parsed("http://api.example").literals).toEqual(["/"]);
    expect(parsed("http://api.example?x=1").literals).toEqual(["/"]);
  });

  it("shows the default port to nobody", () => {
    expect(parsed("http://api.example:80/x").host).toBe("api.example");
  });

  it("encodes what cannot be in a URL, and leaves encodings as they are", () => {
    expect(parsed("http://a.example/天气/a b/%2F?q=ü").literals).toEqual(["/%E5%A4%A9%E6%B0%94/a%20b/%2F"]);
    expect(parsed("http://a.example/x?q=ü z").query).toBe("q=%C3%BC%20z");
  });

  it.each([
    ["http://h.example", "/a", "http://h.example/a"],
    ["http://h.example/", "/a", "http://h.example/a"],
    ["http://h.example/base", "a", "http://h.example/base/a"],
    ["http://h.example/base/", "/a/", "http://h.example/base/a/"],
    ["http://h.example/base//", "//a", "http://h.example/base/a"],
  ])("http-06 (agentgateway/agentgateway#145): %s and %s are joined by exactly one slash", (endpoint, path, joined) => {
    expect(joinPath(endpoint, path)).toBe(joined);
    expect(parsed(endpoint, path).literals.join("")).toBe(new URL(joined).pathname);
  });

  it.each([
    ["ftp://h.example/x", "http"],
    ["/only/a/path", "absolute"],
    ["", "absolute"],
    ["http://", "host"],
    ["http:///x", "host"],
    ["http://user:secret@h.example/", "credentials"],
    ["http://{host}/x", "placeholder"],
    ["http://h.example\\evil.example/", "backslash"],
    ["http://h.example:99999/", "port"],
    ["http://h.example/a#frag", "fragment"],
    ["http://h.example/a/../b", "segment"],
    ["http://h.example/a/%2e%2E/b", "segment"],
    ["http://h.example/{a", "brace"],
    ["http://h.example/{}/x", "brace"],
    ["http://h.example/?q=x{a}", "whole value"],
  ])("is refused in words without repeating it: %s", (endpoint, words) => {
    const problem = parseTemplate(endpoint);
    expect(problem).toContain(words);
    expect(problem).not.toContain("secret");
  });

  it("is either refused or makes a URL that means the same to a URL parser", () => {
    fc.assert(
      fc.property(fc.webUrl({ withQueryParameters: true }), (url) => {
        const template = parseTemplate(url);
        if (typeof template === "string") return;
        const made = `${template.origin}${template.literals.join("")}${template.query === "" ? "" : `?${template.query}`}`;
        expect(new URL(made).pathname).toBe(new URL(url).pathname);
      }),
    );
  });
});
