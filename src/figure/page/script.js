// What a page can do where scripts run: sort and copy tables, and switch between light and dark.
(function () {
    "use strict";
    function button(text, where, act) {
        var b = document.createElement("button");
        b.type = "button";
        b.textContent = text;
        b.addEventListener("click", function (e) {
            e.preventDefault();
            act(b);
        });
        where.appendChild(b);
        return b;
    }
    function value(cell) { return cell.dataset.v || cell.textContent; }
    function order(x, y) {
        var difference = Number(x) - Number(y);
        return isNaN(difference) ? x.localeCompare(y, "en", { numeric: true }) : difference;
    }
    function put(b, text) {
        var area = document.createElement("textarea");
        area.value = text;
        document.body.appendChild(area);
        area.select();
        if (document.execCommand("copy")) { b.textContent = "copied"; }
        area.remove();
    }
    document.querySelectorAll("table").forEach(function (table) {
        var body = table.tBodies[0], heads = Array.from(table.tHead.rows[0].cells);
        button("copy", table.caption, function (b) {
            put(b, Array.from(table.rows).map(function (r) { return Array.from(r.cells).map(value).join("\t"); }).join("\n"));
        });
        heads.forEach(function (head, k) {
            head.dataset.sorts = "";
            head.tabIndex = 0;
            function sort() {
                var up = head.getAttribute("aria-sort") !== "ascending", sign = up ? 1 : -1;
                heads.forEach(function (h) { h.removeAttribute("aria-sort"); });
                head.setAttribute("aria-sort", up ? "ascending" : "descending");
                Array.from(body.rows).sort(function (a, b) {
                    return sign * order(value(a.cells[k]), value(b.cells[k]));
                }).forEach(function (r) { body.appendChild(r); });
            }
            head.addEventListener("click", sort);
            head.addEventListener("keydown", function (e) { if (e.key === "Enter") { sort(); } });
        });
    });
    document.querySelectorAll("figure details").forEach(function (d) {
        button("copy", d.querySelector("summary"), function (b) { put(b, d.querySelector("pre").textContent); });
    });
    button("light / dark", document.querySelector("h1"), function () {
        var root = document.documentElement, dark = root.dataset.theme ? root.dataset.theme === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
        root.dataset.theme = dark ? "light" : "dark";
    }).id = "theme";
}());
